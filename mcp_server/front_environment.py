"""What the front knows of the real server's environment, by way of the launcher."""


class BuildState:
    """Where the building of the environment stands."""

    def __init__(self, *, sentence: str, seconds_left: float, failed: bool) -> None:
        self.sentence = sentence
        """For the agent: the step reached and the time left, or what failed and the log; then what to do."""
        self.seconds_left = seconds_left
        self.failed = failed
