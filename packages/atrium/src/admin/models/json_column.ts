/**
 * Column options for JSON stored as text.
 */
export const jsonColumn = {
  meta: { kind: 'json' },
  prepare: (value: unknown) => (value === null ? null : JSON.stringify(value)),
  consume: (text: unknown) => (typeof text === 'string' ? JSON.parse(text) : (text ?? null)),
}
