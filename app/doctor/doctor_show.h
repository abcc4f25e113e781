/* SPDX-License-Identifier: MIT */
/* The sheets of zcapp doctor, as text and as JSON. */
#ifndef ZCAPP_DOCTOR_DOCTOR_SHOW_H
#define ZCAPP_DOCTOR_DOCTOR_SHOW_H

#include "app/doctor/doctor.h"
#include "app/run/json.h"

void doctor_show(const struct doctor_section *section, const struct doctor_sheet *sheet);

/* A member of the array of sections. */
void doctor_put(struct json *json, const struct doctor_section *section,
                const struct doctor_sheet *sheet);

#endif
