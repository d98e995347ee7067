import { crudConfig } from '#crud'
import { IntegerTooLong } from '#base/errors'
import { isDeeper, MOST_DIGITS, numberOrDigits, parseJson } from '#base/values/json'
import { UnreadableText } from '../errors.js'
import { jsonFault } from '../forms/fields/widgets/json_fault.js'

/**
 * The value of a JSON text, with the same limits as for JSON bodies: depth and size of integers. [A29]
 *
 * @throws UnreadableText
 */
export function jsonOf(text: string): unknown {
  const { depth } = crudConfig().body
  if (isDeeper(text, depth)) {
    throw new UnreadableText('depth', `must not nest more than ${depth} levels deep`)
  }
  try {
    return parseJson(text, numberOrDigits, MOST_DIGITS)
  } catch (error) {
    if (error instanceof IntegerTooLong) {
      const reason = `must not have an integer of more than ${MOST_DIGITS} digits`
      throw new UnreadableText('digits', reason)
    }
    const fault = jsonFault(text)
    throw new UnreadableText('json', `must be valid JSON${fault ? ` (${fault})` : ''}`)
  }
}
