/* Tables sort by a click on a heading; without scripts they stay in the order of the command line. */
(function () {
  "use strict";
  document.documentElement.classList.add("js");
  function value(row, column) {
    var cell = row.cells[column], v = cell ? cell.getAttribute("data-v") : null;
    return v !== null ? parseFloat(v) : cell ? cell.textContent : "";
  }
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;   /* rows without a value go last */
    if (typeof b === "number") return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  function sort(table, head, column) {
    var down = head.getAttribute("aria-sort") === "ascending", body = table.tBodies[0];
    table.querySelectorAll("th[aria-sort]").forEach(function (h) { h.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    Array.prototype.slice.call(body.rows).map(function (row, i) {
      return { row: row, key: value(row, column), i: i };
    }).sort(function (a, b) {
      var both = typeof a.key === typeof b.key, c = compare(a.key, b.key);
      return (both && down ? -c : c) || a.i - b.i;
    }).forEach(function (item) { body.appendChild(item.row); });
  }
  /* Which column a heading stands above, headings over several rows and columns considered. */
  function columns(table) {
    var grid = [], found = [];
    Array.prototype.forEach.call(table.tHead.rows, function (row, y) {
      var x = 0;
      Array.prototype.forEach.call(row.cells, function (cell) {
        while (grid[y] && grid[y][x]) x++;
        for (var dy = 0; dy < cell.rowSpan; dy++)
          for (var dx = 0; dx < cell.colSpan; dx++) {
            grid[y + dy] = grid[y + dy] || [];
            grid[y + dy][x + dx] = true;
          }
        if (cell.colSpan === 1 && !cell.classList.contains("group") && !cell.classList.contains("plain"))
          found.push({ head: cell, column: x });
        x += cell.colSpan;
      });
    });
    return found;
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    columns(table).forEach(function (c) {
      c.head.classList.add("sort");
      c.head.tabIndex = 0;
      c.head.addEventListener("click", function () { sort(table, c.head, c.column); });
      c.head.addEventListener("keydown", function (e) {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); sort(table, c.head, c.column); }
      });
    });
  });
}());
