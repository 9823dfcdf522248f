"""What a store promises, tested. Every database runs all of it: its test file has a `store` fixture and imports this.

The fixture gives a migrated, founded and otherwise empty store that answers `busy` after a twentieth of a second.
"""

from tests.store.contract.access import *  # noqa: F403
from tests.store.contract.conditions import *  # noqa: F403
from tests.store.contract.integrity import *  # noqa: F403
from tests.store.contract.items import *  # noqa: F403
from tests.store.contract.keeping import *  # noqa: F403
from tests.store.contract.relations import *  # noqa: F403
from tests.store.contract.transactions import *  # noqa: F403
from tests.store.contract.walks import *  # noqa: F403
