"""Sample exports, and the seeded simulator that writes the largest of them."""
