"""What a latency means: spans in, requests, calls, segments and findings out."""
