"""The one error that a user can mend."""


class UserError(Exception):
    """A fault in the input or the call: what was expected, what was found, where.

    Args:
        expected: what would have been right, as a short noun phrase.
        found: what was there instead.
        where: file, line, path, option or address; empty where there is only one place.
    """

    def __init__(self, expected: str, found: str, where: str = "") -> None:
        self.expected, self.found, self.where = expected, found, where
        place = f"{where}: " if where else ""
        super().__init__(f"{place}expected {expected}, found {found}")
