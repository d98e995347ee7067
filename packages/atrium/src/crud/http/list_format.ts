import type { HttpContext } from '@adonisjs/core/http'

/** The formats of a list in addition to JSON, by their type. [D5] */
export const LIST_FORMATS = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const

export type ListFormat = keyof typeof LIST_FORMATS

/**
 * The format that the caller prefers, by `Accept`. A caller who accepts none of them gets JSON.
 *
 * @returns undefined for JSON
 */
export function listFormatOf({ request, response }: HttpContext): ListFormat | undefined {
  response.vary('Accept')
  const accepted = request.accepts(['application/json', ...Object.values(LIST_FORMATS)])
  const formats = Object.keys(LIST_FORMATS) as ListFormat[]
  return formats.find((format) => LIST_FORMATS[format] === accepted)
}
