//===- Placement.h - Which rank this process is --------------------*- C++ -*-===//

#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <string>

/// What the program that started this process says about its place among others.
struct Placement {
  int rank = 0, size = 1;
  /// Number of the process on its machine, which is also that of its GPU.
  int localRank = 0;
  /// Who said so: "mpirun"; empty when nobody did and this process is alone.
  std::string starter;
};

/// Reads the environment variables that Open MPI's mpirun, MPICH's and Intel's mpirun, Slurm's srun
/// and torchrun set. Returns what is wrong with them, or nothing.
std::string readPlacement(Placement &placement);

#endif // PLACEMENT_H
