"""An independent brute-force model of the register, which the property tests hold the product against.

It shares no code with the product. It keeps plain dicts, walks every relation from scratch, and recomputes every open
condition from the rules after every call. It does not know ids or instants of the product: items are named by address,
and principals, tokens, grants and relations by handles (`P1`, `T1`, `G1`, `R1`) that a test maps to the product's ids.
"""

from tests.model.refusal import ModelRefusal
from tests.model.register import Model

__all__ = ["Model", "ModelRefusal"]
