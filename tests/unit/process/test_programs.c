// SPDX-License-Identifier: GPL-2.0
/* Containers of processes, by their control groups; what binaries say of their modules. */
#include "rows.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "gobin/buildinfo.h"
#include "process/programs.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define INNER "fedcba980123456789abcdef0123456789abcdef0123456789abcdef01234567"

static struct container_row {
	const char *claim, *cgroup, *want;
} containers[] = {
	{ "no container", "0::/system.slice/ssh.service\n", "" },
	{ "Docker with systemd", "0::/system.slice/docker-" ID ".scope\n", "0123456789ab" },
	{ "Docker, version 1", "12:cpu:/docker/" ID "\n11:memory:/docker/" ID "\n",
	  "0123456789ab" },
	{ "containerd in Kubernetes", "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID
	  ".scope", "0123456789ab" },
	{ "Podman", "0::/machine.slice/libpod-" ID ".scope/container\n", "0123456789ab" },
	{ "a container in a container: the inner one", "0::/docker/" ID "/docker/" INNER "\n",
	  "fedcba980123" },
	{ "fewer digits", "0::/user.slice/0123456789abcdef\n", "" },
	{ "more digits", "0::/x/" ID "0\n", "" },
	{ "nothing", "", "" },
};

ROWS(test_container, containers)
{
	const struct container_row *row = *state;
	char id[PROGRAM_CONTAINER + 1];

	process_container(row->cgroup, id);
	assert_string_equal(id, row->want);
}

TEST(binaries_say_what_they_were_built_from)
{
	struct bins_each e = BINS("shapes", "", "-stripped");

	while (bins_next(&e)) {
		char *modules = buildinfo_modules(gobin_file(e.bin));

		assert_non_null(modules);
		assert_memory_equal(modules, "path\t", 5);
		assert_non_null(strstr(modules, "shapes"));
		free(modules);
	}
}
