"""Two synchronisations of paper 002 over a simulated network, written from the paper (algorithms 1 to 4; JK from its section 2)
and from docs/clocks.md ("Simulated networks", quiet) alone: arithmetic on arrays of ping-pongs, which shares no line and no random
number with src/clock and src/clocksim. Times are seconds; a clock is what it shows beyond the true time."""

import numpy as np

SKEW = 2e-5  # uniform within +- this
WANDER = 2e-10  # random walk of the skew: standard deviation after a second
WANDER_STEP = 0.05
LATENCY, LATENCY_SPREAD = 1000e-9, 0.3  # a path's own, the same both ways
NOISE = 30e-9  # exponential, of every message
ROLE = 20e-9  # the one that began notices the answer later
SOFTWARE = 40e-9  # between receiving and sending
WARM_UPS, ROUND_TRIPS, INTERCEPT_EXCHANGES = 10, 100, 100


class Clocks:
    """Deviations from the true time, relative to the begin, as the paper's GET_ADJUSTED_TIME."""

    def __init__(self, random, ranks, until):
        steps = int(until / WANDER_STEP) + 2
        walk = WANDER * np.sqrt(WANDER_STEP) * random.standard_normal((ranks, steps))
        walk[:, 0] = random.uniform(-SKEW, SKEW, ranks)
        self.knots = np.arange(steps + 1) * WANDER_STEP
        phase = np.cumsum(np.cumsum(walk, axis=1) * WANDER_STEP, axis=1)
        self.phase = np.concatenate([np.zeros((ranks, 1)), phase], axis=1)

    def show(self, rank, true):
        return true + np.interp(true, self.knots, self.phase[rank])


class Machine:
    def __init__(self, seed, ranks, until=30.0):
        self.random = np.random.default_rng(seed)
        self.ranks = ranks
        self.clocks = Clocks(self.random, ranks, until)
        paths = LATENCY * (1 + LATENCY_SPREAD * self.random.uniform(size=(ranks, ranks)))
        self.latency = np.triu(paths) + np.triu(paths).T
        self.now = np.zeros(ranks)

    def ping_pongs(self, reference, client, count):
        """The client asks `count` times. Its clock when it asks and has the answer, and the reference's between both."""
        path = self.latency[min(reference, client), max(reference, client)]
        there = path + NOISE * self.random.exponential(size=count)
        back = path + NOISE * self.random.exponential(size=count) + ROLE
        # A reference that is not ready yet answers the first question when it is.
        first = max(self.now[client] + there[0], self.now[reference])
        arrived = first + np.concatenate([[0], np.cumsum(SOFTWARE + back[:-1] + SOFTWARE + there[1:])])
        returned = arrived + SOFTWARE + back
        asked = np.concatenate([[self.now[client]], returned[:-1] + SOFTWARE])
        self.now[reference] = arrived[-1] + SOFTWARE
        self.now[client] = returned[-1] + SOFTWARE
        show = self.clocks.show
        return show(client, asked), show(reference, arrived), show(reference, arrived + SOFTWARE), show(client, returned)

    def wait_for_all(self):
        self.now[:] = self.now.max()

    def errors(self, models, after):
        """Of every client's global time, `after` the last one's end."""
        then = self.now.max() + after
        worst = []
        for rank in range(1, self.ranks):
            local = self.clocks.show(rank, then)
            slope, intercept = models[rank]
            worst.append(local - (slope * local + intercept) - self.clocks.show(0, then))
        return np.abs(worst)


def round_trip(machine, reference, client):
    """Algorithm 3; outliers: beyond one and a half times the third quartile."""
    machine.ping_pongs(reference, client, WARM_UPS)
    asked, _, _, returned = machine.ping_pongs(reference, client, ROUND_TRIPS)
    trips = returned - asked
    return trips[trips <= 1.5 * np.percentile(trips, 75)].mean()


def fit_points(machine, reference, client, rtt, points, exchanges):
    """Lines 9 to 19 of algorithm 4: of every `exchanges` differences the median, with its time. It is one that was observed (line
    18): of an even number the lower of the two in the middle, as docs/clocks.md says; the upper one is 2 ns larger here."""
    _, received, sent, returned = (a.reshape(points, exchanges)
                                   for a in machine.ping_pongs(reference, client, points * exchanges))
    differences = returned - (received + sent) / 2 - rtt / 2
    middle = np.argpartition(differences, (exchanges - 1) // 2, axis=1)[:, (exchanges - 1) // 2]
    rows = np.arange(points)
    return returned[rows, middle], differences[rows, middle]


def linear_fit(x, y):
    slope = np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2)
    return slope, y.mean() - slope * x.mean()


def merged(first, second):
    """Equation 1: `first` leads from the middle to the root, `second` from the client to the middle."""
    return (first[0] + second[0] - first[0] * second[0], first[1] + second[1] - second[0] * first[1])


def jk(machine, points, exchanges):
    """The root with one rank after the other, again for every fit point."""
    clients = range(1, machine.ranks)
    rtt = {client: round_trip(machine, 0, client) for client in clients}
    machine.wait_for_all()
    found = {client: [] for client in clients}
    for _ in range(points):
        for client in clients:
            found[client].append(fit_points(machine, 0, client, rtt[client], 1, exchanges))
    return {client: linear_fit(*(np.concatenate(column) for column in zip(*found[client]))) for client in clients}


def intercept(machine, reference, client, slope):
    """SKaMPI's offset: the middle of what all ping-pongs allow, at the middle of the times that say so."""
    asked, received, sent, returned = machine.ping_pongs(reference, client, INTERCEPT_EXCHANGES)
    low, high = np.argmax(asked - received), np.argmin(returned - sent)
    offset = (asked[low] - received[low] + returned[high] - sent[high]) / 2
    return offset - slope * (asked[low] + returned[high]) / 2


def hca(machine, points, exchanges):
    """Algorithms 1 and 2, first approach: slopes in a tree, then every intercept against the root."""
    ranks = machine.ranks
    power = 2 ** (ranks.bit_length() - 1)
    models = {0: {0: (0.0, 0.0)}}
    for rank in range(1, ranks):
        models[rank] = {rank: (0.0, 0.0)}

    def learn(reference, client):
        rtt = round_trip(machine, reference, client)
        model = linear_fit(*fit_points(machine, reference, client, rtt, points, exchanges))
        return {rank: merged(model, below) for rank, below in models[client].items()}

    step = 1
    while 2 * step <= power:
        for reference in range(0, power, 2 * step):
            models[reference].update(learn(reference, reference + step))
        step *= 2
    to_root = models[0]
    for client in range(power, ranks):
        to_root[client] = merged(to_root[client - power], learn(client - power, client)[client])
    machine.wait_for_all()
    return {client: (to_root[client][0], intercept(machine, 0, client, to_root[client][0])) for client in range(1, ranks)}


def worst_errors(algorithm, ranks, points, exchanges, after, seeds):
    """Largest error over ranks in ns: a row a seed, a column a time after the end."""
    rows = []
    for seed in range(seeds):
        machine = Machine(seed, ranks)
        models = algorithm(machine, points, exchanges)
        rows.append([machine.errors(models, one).max() * 1e9 for one in after])
    return np.array(rows)
