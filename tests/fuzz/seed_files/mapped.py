class A:
    """Doc."""

    async def f(self, x: int) -> None: ...


B = 1
