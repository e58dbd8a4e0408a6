# SPDX-License-Identifier: BSD-3-Clause
"""What do the time stamps of a recording mean, and what is wrong with them?"""
