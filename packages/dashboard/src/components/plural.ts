/** A count with its noun: `1 form`, `1,204 forms`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
