#include "platform/platform_source_text.hpp"

namespace invar::platform {

const std::string_view kSourceTypes = R"source(
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/config.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace {

namespace sg = simgrid::s4u;

// Noise: a time is the piece's, times factor, times e^(log_sd z), z normal. The piece's line is the
// median of its times; their mean is above it where times are skewed.
struct Part {
  double share, factor, log_sd;
};

// For sizes above `above`: intercept + slope x size seconds. Without parts always that.
struct Piece {
  double above, intercept, slope;
  std::vector<Part> noise;
};

// Pairs of ranks of one kind. What a message takes on the wire, its overheads apart, is `wire`; the
// noise of its pieces is that of a half round trip. A share of messages, whatever their size, is
// interrupted, and takes so many seconds longer on the wire: drawn once a message.
struct Pairs {
  double latency, pair_bandwidth, shared_bandwidth;
  double interrupted_share, interruption;
  std::vector<Piece> send, isend, receive, wire;
};

template <typename Value>
void set_default(const char* name, const Value& value) {
  if (simgrid::config::is_default(name)) sg::Engine::set_config(name, value);
}
)source";

const std::string_view kSourceFunctions = R"source(
// What a message has more on the wire.
constexpr double kEnvelope = 16;
// The least of the wire's time that is left where overheads took longer than usual.
constexpr double kLeastShare = 0.01;

std::mt19937_64 generator(kSeed);

const Pairs& pairs_of(const sg::Host* source, const sg::Host* destination) {
  return source == destination ? kInsideHost : kBetweenHosts;
}

const Piece& piece_at(const std::vector<Piece>& pieces, double size) {
  const Piece* holds = &pieces.front();
  for (const Piece& piece : pieces) {
    if (size > piece.above) holds = &piece;
  }
  return *holds;
}

double line_at(const std::vector<Piece>& pieces, double size) {
  const Piece& piece = piece_at(pieces, size);
  return std::max(0.0, piece.intercept + piece.slope * size);
}

// How many times its line a time is: 1 where a piece has no noise.
double draw(const std::vector<Piece>& pieces, double size) {
  const std::vector<Part>& parts = piece_at(pieces, size).noise;
  if (parts.empty()) return 1;
  double left = std::uniform_real_distribution<double>(0, 1)(generator);
  const Part* taken = &parts.back();
  for (const Part& part : parts) {
    left -= part.share;
    if (left < 0) {
      taken = &part;
      break;
    }
  }
  return taken->factor * std::exp(taken->log_sd * std::normal_distribution<double>(0, 1)(generator));
}

// By how much overheads of messages under way were off, or will be.
using Message = std::tuple<const sg::Host*, const sg::Host*, double>;
std::map<Message, std::deque<double>> sent;
std::map<Message, std::deque<double>> to_receive;

bool take(std::map<Message, std::deque<double>>& from, const Message& message, double& off) {
  const auto found = from.find(message);
  if (found == from.end()) return false;
  off = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) from.erase(found);
  return true;
}

bool wire_varies(const Pairs& pairs, double size) {
  return !piece_at(pairs.wire, size).noise.empty();
}

double send_cost(const std::vector<Piece>& pieces, const Pairs& pairs, double size,
                 const sg::Host* source, const sg::Host* destination) {
  const double line = line_at(pieces, size);
  const double cost = line * draw(pieces, size);
  if (wire_varies(pairs, size)) sent[{source, destination, size}].push_back(cost - line);
  return cost;
}

double receive_cost(double size, const sg::Host* source, const sg::Host* destination) {
  const Pairs& pairs = pairs_of(source, destination);
  const double line = line_at(pairs.receive, size);
  double off = 0;
  if (take(to_receive, {source, destination, size}, off)) return line + off;
  return line * draw(pairs.receive, size);
}

// How much longer than usual a message takes on the wire.
double draw_wire(const Pairs& pairs, double size, const Message& message) {
  if (!wire_varies(pairs, size)) return 1;
  const double wire = line_at(pairs.wire, size);
  double whole = wire;
  double off_send = 0;
  double off_receive = 0;
  take(sent, message, off_send);
  if (size < kDetached) {
    const double receive = line_at(pairs.receive, size);
    whole += line_at(pairs.send, size) + receive;
    off_receive = receive * (draw(pairs.receive, size) - 1);
    to_receive[message].push_back(off_receive);
  }
  const double longer = whole * (draw(pairs.wire, size) - 1) - off_send - off_receive;
  return std::max(kLeastShare, 1 + longer / wire);
}

// In seconds.
double draw_interruption(const Pairs& pairs) {
  if (pairs.interrupted_share <= 0) return 0;
  const double lot = std::uniform_real_distribution<double>(0, 1)(generator);
  return lot < pairs.interrupted_share ? pairs.interruption : 0;
}

struct Drawn {
  double scale, longer;
};

// Both factors of a message are asked for, one behind the other, and scaled alike: the first
// question draws. An interruption takes no bandwidth: it is a part of the latency.
Drawn drawn_wire(double size, const sg::Host* source, const sg::Host* destination) {
  static Message drawn_for{nullptr, nullptr, -1};
  static Drawn drawn{1, 0};
  const Message message{source, destination, size};
  if (message == drawn_for) {
    drawn_for = {nullptr, nullptr, -1};
  } else {
    drawn_for = message;
    const Pairs& pairs = pairs_of(source, destination);
    drawn = {draw_wire(pairs, size, message), draw_interruption(pairs)};
  }
  return drawn;
}

double latency_factor(double payload, const sg::Host* source, const sg::Host* destination,
                      const std::vector<sg::Link*>&, const std::unordered_set<sg::NetZone*>&) {
  const Pairs& pairs = pairs_of(source, destination);
  const double size = payload - kEnvelope;
  const Piece& piece = piece_at(pairs.wire, size);
  const double latency = std::max(0.0, piece.intercept - kEnvelope * piece.slope);
  const Drawn drawn = drawn_wire(size, source, destination);
  return (latency * drawn.scale + drawn.longer) / pairs.latency;
}

double bandwidth_factor(double payload, const sg::Host* source, const sg::Host* destination,
                        const std::vector<sg::Link*>&, const std::unordered_set<sg::NetZone*>&) {
  const Pairs& pairs = pairs_of(source, destination);
  const double size = payload - kEnvelope;
  const double bandwidth = std::min(pairs.pair_bandwidth, pairs.shared_bandwidth);
  return 1 / (bandwidth * piece_at(pairs.wire, size).slope *
              drawn_wire(size, source, destination).scale);
}

// A link that holds each flow to a bandwidth and is not shared.
const sg::Link* cap(sg::NetZone* zone, const char* name, double bandwidth) {
  return zone->create_link(name, bandwidth)
      ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
      ->seal();
}

void make_hosts() {
  sg::NetZone* zone = sg::create_star_zone("world");
  const sg::Link* between = cap(zone, "between-hosts", kBetweenHosts.pair_bandwidth);
  const sg::Link* inside = cap(zone, "inside-host", kInsideHost.pair_bandwidth);
  for (int i = 0; i < kHosts; ++i) {
    const std::string name = "node-" + std::to_string(i);
    const sg::Host* host = zone->create_host(name, 1e9)->set_core_count(kCores)->seal();
    const sg::Link* memory = zone->create_link(name + "-memory", kInsideHost.shared_bandwidth)
                                 ->set_latency(kInsideHost.latency)
                                 ->seal();
    zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                    {sg::LinkInRoute(memory), sg::LinkInRoute(inside)});
    // A route has two of these.
    const sg::Link* link =
        zone->create_split_duplex_link(name + "-link", kBetweenHosts.shared_bandwidth)
            ->set_latency(kBetweenHosts.latency / 2)
            ->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {sg::LinkInRoute(link, sg::LinkInRoute::Direction::UP),
                     sg::LinkInRoute(between)},
                    true);
  }
  zone->seal();
}

}  // namespace

extern "C" void load_platform(const sg::Engine& engine);
void load_platform(const sg::Engine& engine) {
  set_options();
  make_hosts();
  smpi_register_op_cost_callback(
      SmpiOperation::SEND, [](std::size_t size, sg::Host* source, sg::Host* destination) {
        const Pairs& pairs = pairs_of(source, destination);
        return send_cost(pairs.send, pairs, static_cast<double>(size), source, destination);
      });
  smpi_register_op_cost_callback(
      SmpiOperation::ISEND, [](std::size_t size, sg::Host* source, sg::Host* destination) {
        const Pairs& pairs = pairs_of(source, destination);
        return send_cost(pairs.isend, pairs, static_cast<double>(size), source, destination);
      });
  smpi_register_op_cost_callback(
      SmpiOperation::RECV, [](std::size_t size, sg::Host* source, sg::Host* destination) {
        return receive_cost(static_cast<double>(size), source, destination);
      });
  simgrid::kernel::resource::NetworkModelIntf* network =
      engine.get_netzone_root()->get_network_model();
  network->set_lat_factor_cb(latency_factor);
  network->set_bw_factor_cb(bandwidth_factor);
}
)source";

}  // namespace invar::platform
