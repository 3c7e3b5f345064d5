//===- OccupancyTest.cpp - How much of a kernel a device holds at once ---*- C++ -*-===//
//
// The mock has 12 multiprocessors of 2048 threads; clusters reach across four of them.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

using OccupancyTest = MockTest;

TEST_F(OccupancyTest, ofAnOrdinaryKernel) {
  tilec::Kernel kernel = getKernel({"add", 96, 4096, addParams}, testPtx);
  auto occupancy = kernel.occupancy();
  ASSERT_TRUE(occupancy) << occupancy.error().message();
  EXPECT_EQ(occupancy->threads, 96u);
  EXPECT_EQ(occupancy->num_ctas, 1u);
  EXPECT_EQ(occupancy->registers, 40u);
  EXPECT_EQ(occupancy->local_bytes, 16u);
  EXPECT_EQ(occupancy->static_shared_bytes, 1024u);
  EXPECT_EQ(occupancy->dynamic_shared_bytes, 4096u);
  EXPECT_EQ(occupancy->multiprocessors, 12u);
  EXPECT_EQ(occupancy->blocks_per_multiprocessor, 21u);
  EXPECT_EQ(occupancy->warps_per_multiprocessor, 63u);
  EXPECT_EQ(occupancy->max_warps_per_multiprocessor, 64u);
  EXPECT_EQ(occupancy->resident_programs, 21u * 12);
  EXPECT_EQ(*kernel.residentPrograms(), 21 * 12);
}

TEST_F(OccupancyTest, warpsThatAreNotFull) {
  tilec::Kernel kernel = getKernel({"none", 1000}, testPtx);
  EXPECT_EQ(kernel.occupancy()->warps_per_multiprocessor, 64u);
}

TEST_F(OccupancyTest, ofClusters) {
  // 16 blocks fit on a multiprocessor, 64 on each of three groups of four.
  tilec::Kernel kernel = getKernel(addRecord().withCTAs(16), testPtx);
  auto occupancy = kernel.occupancy();
  ASSERT_TRUE(occupancy) << occupancy.error().message();
  EXPECT_EQ(occupancy->num_ctas, 16u);
  EXPECT_EQ(occupancy->blocks_per_multiprocessor, 16u);
  EXPECT_EQ(occupancy->resident_programs, 12u);
  EXPECT_EQ(*kernel.residentPrograms(), 12);
}

TEST_F(OccupancyTest, sizesTheGridOfAPersistentKernel) {
  tilec::Kernel kernel = getKernel({"none", 256}, testPtx);
  EXPECT_TRUE(kernel.launch({}, {*kernel.residentPrograms()}));
  EXPECT_EQ(mock().lastLaunch().grid[0], 8u * 12);
}

TEST_F(OccupancyTest, errors) {
  tilec::Kernel none, kernel = getKernel(addRecord(), testPtx);
  EXPECT_STREQ(none.occupancy().error().message(), "tilec_kernel_get_occupancy: 'kernel' is null");
  EXPECT_STREQ(none.residentPrograms().error().message(),
               "tilec_kernel_resident_programs: 'kernel' is null");
  EXPECT_STREQ(tilec::Status(tilec_kernel_resident_programs(kernel.c(), nullptr)).message(),
               "tilec_kernel_resident_programs: 'programs' is null");
  tilec_occupancy occupancy{};
  occupancy.struct_size = 7;
  EXPECT_STREQ(tilec::Status(tilec_kernel_get_occupancy(kernel.c(), &occupancy)).message(),
               "tilec_kernel_get_occupancy: 'struct_size' is 7, expected 48");
  EXPECT_STREQ(tilec::Status(tilec_kernel_get_occupancy(kernel.c(), nullptr)).message(),
               "tilec_kernel_get_occupancy: 'occupancy' is null");
  mock().fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1);
  const char *message = "kernel 'add': cannot ask how many blocks fit on a multiprocessor: "
                        "CUDA_ERROR_INVALID_VALUE: invalid argument";
  EXPECT_STREQ(kernel.occupancy().error().message(), message);
  EXPECT_STREQ(kernel.residentPrograms().error().message(), message);
}

TEST_F(OccupancyTest, aKernelThatDoesNotFitAtAll) {
  tilec::Kernel kernel = getKernel({"none", 32, 231424}, testPtx);
  EXPECT_EQ(*kernel.residentPrograms(), 12);
  mock().setResident(0);
  EXPECT_EQ(kernel.occupancy()->resident_programs, 0u);
  tilec::Status status = kernel.residentPrograms().error();
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(status.message(),
               "kernel 'none': not even one program fits on device 0 (Mock GPU 0)");
}
