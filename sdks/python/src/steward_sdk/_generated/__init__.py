# Generated from docs/openapi.json by scripts/generate.py. Do not edit.
