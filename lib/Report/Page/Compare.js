// The view of all variants of an object: what each takes, side by side.

const UNKNOWN = "–";

/** What the code of a variant takes, one text for each column. */
function takenBy({isGPU, kernels: [kernel], instructions}) {
  const used = kernel.ptxas, count = instructions === undefined ? UNKNOWN : instructions.toLocaleString("en");
  if (!isGPU) return [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, count];
  const spills = used ? used.spillStores + used.spillLoads : 0;
  const shared = (used ? used.shared : kernel.staticShared) + kernel.dynamicShared, {ctas, warps, maxWarps} = kernel.occupancy;
  return [
    used ? String(used.registers) : UNKNOWN,
    used ? el("span", {class: spills ? "bad" : "good"}, String(spills)) : UNKNOWN,
    shared.toLocaleString("en"),
    kernel.ctas > 1 ? `${kernel.ctas} × ${kernel.threads}` : String(kernel.threads),
    String(ctas), maxWarps ? `${warps} of ${maxWarps}` : String(warps), count];
}

function makeVariantsView(view) {
  const hasKernels = new Set(variants.map(({label}) => label.kernel)).size > 1;
  const rows = variants.map((variant, index) => {
    const {kernel, variant: what, target} = variant.label, isShown = index === shown;
    const button = el("button", {type: "button", class: "line", "aria-pressed": String(isShown), "aria-label": `Show ${labelText(variant)}`,
      onclick: () => showVariant(index, "code")}, isShown ? `${index + 1} ◂` : String(index + 1));
    return [button, ...hasKernels ? [kernel] : [], what, target, ...takenBy(variant)];
  });
  const head = ["show", ...hasKernels ? ["kernel"] : [], "variant", "for", "registers", "bytes of spills", "bytes of shared memory", "threads",
    "CTAs a multiprocessor", "warps", "instructions"];
  const first = head.indexOf("registers");
  view.append(el("h2", {}, `${variants.length} variants`), table(head, rows, head.map((_, i) => i).filter(i => i >= first)),
    el("p", {class: "note"}, "A launch takes the first variant of its architecture whose assumptions its arguments meet. Registers and spills are those of " +
      "ptxas, CTAs and warps how many fit on a multiprocessor. Variants whose code is no other than that of one which assumes less are not in the object."));
}
