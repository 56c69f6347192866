"""Metrics alone: known families, what they measured over a window, and a pie of means."""
