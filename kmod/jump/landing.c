// SPDX-License-Identifier: GPL-2.0
/* Landings: the breakpoint of an area, at which detours hand hits over to the handler. */
#include <linux/fs.h>
#include <linux/list.h>

#include "compat.h"
#include "jump/area.h"
#include "jump/jump.h"
#include "jump/landing.h"

/* The breakpoint of a landing is for that process alone. */
static GP_UPROBE_FILTER(gp_landing_filter, uc, mm)
{
	return container_of(uc, struct gp_area, landing)->mm == mm;
}

int gp_landing_place(struct gp_area *area)
{
	int err = area->lands ? 0 : gp_area_write_landing(area);

	if (area->lands || err)
		return err;
	area->landing.handler = gp_handler_landed;
	area->landing.filter = gp_landing_filter;
	err = gp_compat_register(file_inode(area->file), GP_AREA_LANDING, &area->landing,
				 &area->landing_uprobe);
	area->lands = !err;
	return err;
}

bool gp_landing_remove_all(struct gp_jump_space *space)
{
	struct gp_area *area;
	bool any = false;

	list_for_each_entry(area, &space->areas, node) {
		if (!area->lands)
			continue;
		gp_compat_unregister(file_inode(area->file), GP_AREA_LANDING, &area->landing,
				     area->landing_uprobe);
		area->lands = false;
		any = true;
	}
	return any;
}
