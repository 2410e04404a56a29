#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes lifestyle.csv and health.csv, the data of the first example: 200 people, made up.

Two hidden things are behind both files: how active a person is, and how much stress there is. Each file also has things
of its own, and noise. Nothing but Python is needed, and the result is always the same.
"""
import os
import random

random.seed(20)
lifestyle = ["steps_per_day,exercise_hours,sleep_hours,work_hours,coffee_cups,tv_hours"]
health = ["resting_pulse,systolic_pressure,weight_kg,flexibility_cm,stress_score"]
for person in range(200):
    active, stress = random.gauss(0, 1), random.gauss(0, 1)
    noise = lambda size: size * random.gauss(0, 1)
    work = 0.8 * stress + noise(0.6)
    lifestyle.append(",".join((
        str(max(500, round(8000 + 2500 * active + noise(1500)))),
        f"{max(0.0, 3 + 1.6 * active + noise(1.1)):.1f}",
        f"{7.2 - 0.5 * stress + noise(0.5):.1f}",
        f"{40 + 5 * work:.0f}",
        str(max(0, round(2.5 + 1.0 * work + noise(1.0)))),
        f"{max(0.0, 2.2 - 0.5 * active + noise(0.9)):.1f}")))
    health.append(",".join((
        f"{66 - 6 * active + 3 * stress + noise(5):.0f}",
        f"{122 + 6 * stress - 2 * active + noise(7):.0f}",
        f"{74 - 3 * active + noise(9):.1f}",
        f"{5 + 4 * active + noise(6):.0f}",
        str(min(10, max(0, round(5 + 1.8 * stress + noise(1.0))))))))
here = os.path.dirname(os.path.abspath(__file__))
for name, lines in (("lifestyle.csv", lifestyle), ("health.csv", health)):
    with open(os.path.join(here, name), "w") as file:
        file.write("\n".join(lines) + "\n")
