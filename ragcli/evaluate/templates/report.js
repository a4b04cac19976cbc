(function () {
  var form = document.getElementById("filter");
  if (!form) { return; }
  var rows = Array.from(document.querySelectorAll("#cases tbody tr"));
  function lacks(state) { return ["part", "bad"].includes(state); }
  var shows = {
    all: function () { return true; },
    missed: function (states) { return states.some(lacks); },
    nowhere: function (states) { return states.every(lacks); },
    differ: function (states) { return new Set(states).size !== 1; }
  };
  function update() {
    var words = form.words.value.toLowerCase();
    var kind = form.kind ? form.kind.value : "";
    var shown = rows.filter(function (row) {
      var fits = [
        row.textContent.toLowerCase().includes(words),
        kind === "" || row.dataset.kind === kind,
        shows[form.show.value](row.dataset.states.split(" "))
      ].every(Boolean);
      row.hidden = !fits;
      return fits;
    });
    document.getElementById("count").textContent = shown.length + " of " + rows.length + " shown";
  }
  form.addEventListener("input", update);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.hidden = false;
  update();
})();
