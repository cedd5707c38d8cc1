/** A cost such as `$12.35`. Costs below 1 have two significant digits, such as `$0.0042`, so that they do not become 0. */
export function formatCost(cost: number, currency: string): string {
  const digits = cost > 0 && cost < 1 ? { minimumSignificantDigits: 2, maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat(undefined, { style: "currency", currency, ...digits }).format(cost);
}
