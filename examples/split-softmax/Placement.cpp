//===- Placement.cpp - Which rank this process is ------------------*- C++ -*-===//

#include "Placement.h"

#include <cstdlib>

namespace {

struct Starter {
  const char *name, *rank, *size, *localRank;
};

// mpirun inside a Slurm job sets its own variables beside Slurm's, so it comes first.
constexpr Starter starters[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

/// The number in a variable; -1 if there is none.
int number(const char *name) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return -1;
  char *end;
  long value = std::strtol(text, &end, 10);
  return *end || value < 0 || value > 1 << 20 ? -1 : int(value);
}

} // namespace

std::string readPlacement(Placement &placement) {
  for (const Starter &starter : starters) {
    if (!std::getenv(starter.rank) || !std::getenv(starter.size))
      continue;
    int rank = number(starter.rank), size = number(starter.size), local = number(starter.localRank);
    // MPICH may leave the local one out; on one machine it is the rank.
    if (!std::getenv(starter.localRank))
      local = rank;
    if (rank < 0 || size < 1 || local < 0 || rank >= size)
      return std::string("the variables ") + starter.rank + ", " + starter.size + " and " +
             starter.localRank + " do not give a rank";
    // srun sets its variables for a single process too, which is as if there were none.
    if (size > 1)
      placement = {rank, size, local, starter.name};
    return "";
  }
  return "";
}
