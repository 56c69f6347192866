"""What to fix: evidence, techniques tried on it, findings ranked and planned together."""
