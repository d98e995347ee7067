const SPECIAL = /[&<>"'`]/
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '`': '&#x60;',
}

/**
 * Escapes a text for an element or a quoted attribute, in the same way as templates.
 */
export function escaped(value: unknown): string {
  const text = String(value)
  return SPECIAL.test(text) ? text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign]) : text
}
