// SPDX-License-Identifier: GPL-2.0
/*
 * The module goprobe: dynamic tracing of live Go programs. Initializes the parts in order and
 * shuts them down in reverse order. No session exists when the module is unloaded: each session
 * holds a reference to the module. The module has no alias for its netlink family, because any
 * user may look a family up and would so load the module.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "capture/visited.h"
#include "control/command.h"
#include "control/netlink.h"
#include "control/sessions.h"
#include "jump/jump.h"
#include "session/probe.h"
#include "session/reading.h"
#include "session/stream.h"

static int __init gp_init(void)
{
	int err = gp_visited_init();

	if (err)
		return err;
	err = gp_stream_init();
	if (err)
		goto err_seen;
	err = gp_jump_spaces_init();
	if (err)
		goto err_stream;
	err = gp_probe_init();
	if (err)
		goto err_spaces;
	err = gp_reading_init();
	if (err)
		goto err_probe;
	err = gp_command_init();
	if (err)
		goto err_reading;
	err = gp_session_init();
	if (err)
		goto err_command;
	err = gp_netlink_init();
	if (err)
		goto err_session;
	return 0;

err_session:
	gp_session_fini();
err_command:
	gp_command_fini();
err_reading:
	gp_reading_fini();
err_probe:
	gp_probe_fini();
err_spaces:
	gp_jump_spaces_fini();
err_stream:
	gp_stream_fini();
err_seen:
	gp_visited_fini();
	return err;
}

static void __exit gp_exit(void)
{
	gp_netlink_fini();
	gp_session_fini();
	gp_command_fini();
	gp_reading_fini();
	gp_probe_fini();
	gp_jump_spaces_fini();
	gp_stream_fini();
	gp_visited_fini();
}

module_init(gp_init);
module_exit(gp_exit);

MODULE_DESCRIPTION("Dynamic tracing of live Go programs");
MODULE_AUTHOR("The goprobe authors");
MODULE_VERSION("0.2.0");
MODULE_LICENSE("GPL");
