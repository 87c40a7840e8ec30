"""What tests and benchmarks both work with: our command as a process, servers, browsers, projects, models and pictures.

It holds no test and is not installed. A benchmark imports from here and never from ``tests``.
"""
