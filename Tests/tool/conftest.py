# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import pytest
import toolrun


@pytest.fixture(scope="session", autouse=True)
def built():
    toolrun.build()
