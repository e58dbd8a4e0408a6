"""Count the cases in pytest's JUnit file: prints "passed failed skipped"."""
import sys
import xml.etree.ElementTree as ET

suite = ET.parse(sys.argv[1]).getroot().find("testsuite")
tests, failed, errors, skipped = (int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))
print(tests - failed - errors - skipped, failed + errors, skipped)
