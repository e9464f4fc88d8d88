// mesh: weighted least squares for all ranks, along the edges of the graph.
#include "clock/mesh/mesh.hpp"

namespace invar::clock {

PerRank<Deviation> Mesh::conjugate_gradients() {
  constexpr int kMostSteps = 300;
  // The norm counts squared sigmas. Beyond that precision there is only rounding, along which the
  // singular direction (all clocks together) would grow without end.
  constexpr double kEnough = 1e-8;
  PerRank<Deviation> solution(link_);
  PerRank<Deviation> residual(link_);
  PerRank<Deviation> scaled(link_);
  PerRank<Deviation> direction(link_);
  PerRank<Deviation> image(link_);
  const auto each = [&](auto&& body) {
    for (int rank = link_.first(); rank < link_.last(); ++rank) body(rank);
  };
  const auto dot = [&](const PerRank<Deviation>& a, const PerRank<Deviation>& b) {
    std::vector<double> sums;
    each([&](int rank) {
      sums.push_back(a[rank].offset_ps * b[rank].offset_ps + a[rank].growth_ps * b[rank].growth_ps);
    });
    link_.reduce(Reduction::kSum, sums, 1);
    return sums[0];
  };
  // Preconditioner: each rank's own 2 x 2 block.
  const auto precondition = [&](int rank) {
    double block[3] = {0, 0, 0};
    for (const Edge& edge : nodes_[rank].edges) {
      for (int i = 0; i < 3; ++i) block[i] += edge.block[i];
    }
    const double determinant = block[0] * block[2] - block[1] * block[1];
    const Deviation& r = residual[rank];
    scaled[rank] = determinant > 1e-12 * block[0] * block[2]
                       ? Deviation{(block[2] * r.offset_ps - block[1] * r.growth_ps) / determinant,
                                   (block[0] * r.growth_ps - block[1] * r.offset_ps) / determinant}
                       : Deviation{block[0] > 0 ? r.offset_ps / block[0] : 0, 0};
  };
  each([&](int rank) {
    for (const Edge& edge : nodes_[rank].edges) {
      residual[rank].offset_ps += edge.rhs[0];
      residual[rank].growth_ps += edge.rhs[1];
    }
    precondition(rank);
    direction[rank] = scaled[rank];
  });
  double norm = dot(residual, scaled);
  // The deviations of the partners are not needed while correcting them: their place is used.
  for (int step = 0; step < kMostSteps && norm > kEnough; ++step, ++steps_) {
    tell_partners(direction);
    each([&](int rank) {
      image[rank] = {};
      const MeshNode& node = nodes_[rank];
      for (std::size_t k = 0; k < node.edges.size(); ++k) {
        const Edge& edge = node.edges[k];
        if (edge.partner < 0) continue;
        const double offset = direction[rank].offset_ps - node.partners[k].offset_ps;
        const double growth = direction[rank].growth_ps - node.partners[k].growth_ps;
        image[rank].offset_ps += edge.block[0] * offset + edge.block[1] * growth;
        image[rank].growth_ps += edge.block[1] * offset + edge.block[2] * growth;
      }
    });
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;
    const double length = norm / curvature;
    each([&](int rank) {
      solution[rank].offset_ps += length * direction[rank].offset_ps;
      solution[rank].growth_ps += length * direction[rank].growth_ps;
      residual[rank].offset_ps -= length * image[rank].offset_ps;
      residual[rank].growth_ps -= length * image[rank].growth_ps;
      precondition(rank);
    });
    const double next = dot(residual, scaled);
    const double keep = next / norm;
    norm = next;
    each([&](int rank) {
      direction[rank].offset_ps = scaled[rank].offset_ps + keep * direction[rank].offset_ps;
      direction[rank].growth_ps = scaled[rank].growth_ps + keep * direction[rank].growth_ps;
    });
  }
  return solution;
}

// Weighted least squares for all ranks, again with weights and times from the solution before.
void Mesh::solve(int passes, bool offsets_only) {
  constexpr int kRobustPasses = 4;
  steps_ = 0;
  for (int pass = 0; pass < passes; ++pass) {
    if (offsets_only) {
      weigh_all(false, true);
    } else if (pass == 0) {
      weigh_all(true, false);
    } else {
      // First as if paths had no biases: with small sigmas Huber's weights look for the middle of
      // the paths, which no bad ones move. Biases are estimated around that.
      if (pass < kRobustPasses || !settings_.on("bias")) {
        weigh_all(false, false);
        find_noise();
      } else {
        find_biases();
      }
      weigh_all(false, false);
    }
    const PerRank<Deviation> correction = conjugate_gradients();
    // Only differences are determined: rank 0's clock is the reference.
    Deviation gauge = link_.holds(0) ? correction[0] : Deviation{};
    link_.broadcast(0, &gauge, sizeof gauge);
    for (int rank = link_.first(); rank < link_.last(); ++rank) {
      nodes_[rank].deviation.offset_ps += correction[rank].offset_ps - gauge.offset_ps;
      nodes_[rank].deviation.growth_ps += correction[rank].growth_ps - gauge.growth_ps;
    }
  }
}

}  // namespace invar::clock
