"""Search for the largest number of requests whose blocks, counted one by one, fit into the budget."""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    full, rest = divmod(seq_len, block_size)
    blocks = full + (rest > 0)

    def fits(requests):
        return requests * blocks * block_size * kv_bytes_per_token <= budget_bytes

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
