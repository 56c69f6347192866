"""From clean spans to stages: rules matched, calls cut at their marks, attempts told apart."""
