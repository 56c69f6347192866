"""Requests timed again under a scenario."""
