"""A trace and what came of it, in forms to hand out: pictures, tables, reports, a page."""
