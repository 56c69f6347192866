"""The slowpath command."""
