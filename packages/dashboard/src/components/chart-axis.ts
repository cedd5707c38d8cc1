const niceSteps = [1, 2, 3, 4, 5, 8, 10];

/**
 * The end of a value axis that begins at 0, and its four grid lines at round numbers, which are whole for values of 1
 * and more. Smaller values are amounts of money.
 */
export function scaleAxis(highest: number): { max: number; ticks: number[] } {
  const wanted = highest > 0 && highest < 1 ? highest / 3 : Math.max(1, highest / 3);
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step = (niceSteps.find((nice) => nice * magnitude >= wanted) ?? 10) * magnitude;
  return { max: step * 3, ticks: [0, step, step * 2, step * 3] };
}
