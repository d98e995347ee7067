/**
 * How a column that holds JSON as text is read and written.
 */
export const jsonColumn = {
  meta: { kind: 'json' },
  prepare: (value: unknown) => (value === null ? null : JSON.stringify(value)),
  consume: (text: unknown) => (typeof text === 'string' ? JSON.parse(text) : (text ?? null)),
}
