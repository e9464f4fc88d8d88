#pragma once

#include <functional>
#include <span>
#include <vector>

// Linear equations that are known by their product alone.
namespace invar::stats {

/// `product` = a x; both are as long as b.
using SymmetricProduct = std::function<void(std::span<const double> x, std::span<double> product)>;

/// Solves a x = b; a is symmetric and positive definite (not checked), `diagonal` is its own. By
/// conjugate gradients (Hestenes and Stiefel, J. Res. NBS 49, 1952), each unknown over the root of
/// its diagonal, until what is left of b is 1e-14 of it. Equations that do not get there in ten
/// steps an unknown, because rounding is as large as what ties them together, are solved as
/// solve_positive() does.
std::vector<double> conjugate_gradients(const SymmetricProduct& multiply,
                                        std::span<const double> diagonal,
                                        std::span<const double> b);

}  // namespace invar::stats
