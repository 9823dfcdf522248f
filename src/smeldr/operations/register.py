"""The register as its doors see it: call an operation by name, with a token, and get a reply or a refusal."""
