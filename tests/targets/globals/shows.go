// SPDX-License-Identifier: GPL-2.0

package main

// At a call of each of these functions a tracer can show one variable. Calls through shows are never
// inlined.

var calls int

func show000() { calls++ }
func show001() { calls++ }
func show002() { calls++ }
func show003() { calls++ }
func show004() { calls++ }
func show005() { calls++ }
func show006() { calls++ }
func show007() { calls++ }
func show008() { calls++ }
func show009() { calls++ }
func show010() { calls++ }
func show011() { calls++ }
func show012() { calls++ }
func show013() { calls++ }
func show014() { calls++ }
func show015() { calls++ }
func show016() { calls++ }
func show017() { calls++ }
func show018() { calls++ }
func show019() { calls++ }
func show020() { calls++ }
func show021() { calls++ }
func show022() { calls++ }
func show023() { calls++ }
func show024() { calls++ }
func show025() { calls++ }
func show026() { calls++ }
func show027() { calls++ }
func show028() { calls++ }
func show029() { calls++ }
func show030() { calls++ }
func show031() { calls++ }
func show032() { calls++ }
func show033() { calls++ }
func show034() { calls++ }
func show035() { calls++ }
func show036() { calls++ }
func show037() { calls++ }
func show038() { calls++ }
func show039() { calls++ }
func show040() { calls++ }
func show041() { calls++ }
func show042() { calls++ }
func show043() { calls++ }
func show044() { calls++ }
func show045() { calls++ }
func show046() { calls++ }
func show047() { calls++ }
func show048() { calls++ }
func show049() { calls++ }
func show050() { calls++ }
func show051() { calls++ }
func show052() { calls++ }
func show053() { calls++ }
func show054() { calls++ }
func show055() { calls++ }
func show056() { calls++ }
func show057() { calls++ }
func show058() { calls++ }
func show059() { calls++ }
func show060() { calls++ }
func show061() { calls++ }
func show062() { calls++ }
func show063() { calls++ }
func show064() { calls++ }
func show065() { calls++ }
func show066() { calls++ }
func show067() { calls++ }
func show068() { calls++ }
func show069() { calls++ }
func show070() { calls++ }
func show071() { calls++ }
func show072() { calls++ }
func show073() { calls++ }
func show074() { calls++ }
func show075() { calls++ }
func show076() { calls++ }
func show077() { calls++ }
func show078() { calls++ }
func show079() { calls++ }
func show080() { calls++ }
func show081() { calls++ }
func show082() { calls++ }
func show083() { calls++ }
func show084() { calls++ }
func show085() { calls++ }
func show086() { calls++ }
func show087() { calls++ }
func show088() { calls++ }
func show089() { calls++ }
func show090() { calls++ }
func show091() { calls++ }
func show092() { calls++ }
func show093() { calls++ }
func show094() { calls++ }
func show095() { calls++ }
func show096() { calls++ }
func show097() { calls++ }
func show098() { calls++ }
func show099() { calls++ }
func show100() { calls++ }
func show101() { calls++ }
func show102() { calls++ }
func show103() { calls++ }

var shows = []func(){
	show000, show001, show002, show003, show004, show005, show006, show007,
	show008, show009, show010, show011, show012, show013, show014, show015,
	show016, show017, show018, show019, show020, show021, show022, show023,
	show024, show025, show026, show027, show028, show029, show030, show031,
	show032, show033, show034, show035, show036, show037, show038, show039,
	show040, show041, show042, show043, show044, show045, show046, show047,
	show048, show049, show050, show051, show052, show053, show054, show055,
	show056, show057, show058, show059, show060, show061, show062, show063,
	show064, show065, show066, show067, show068, show069, show070, show071,
	show072, show073, show074, show075, show076, show077, show078, show079,
	show080, show081, show082, show083, show084, show085, show086, show087,
	show088, show089, show090, show091, show092, show093, show094, show095,
	show096, show097, show098, show099, show100, show101, show102, show103,
}
