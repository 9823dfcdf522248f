"""Has the asserts of the contract told in full, although its file is no test file by name."""

import pytest

pytest.register_assert_rewrite("tests.store.contract")
