import { isDateFormat } from 'hucre'
import { serialMoment } from '../../cell_value.js'
import { readXml } from './xml_events.js'

export type Moment = 'date' | 'datetime' | 'time'

/** Formats that a file need not explain, by their number */
const BUILT_IN: Readonly<Record<number, Moment>> = {
  14: 'date',
  15: 'date',
  16: 'date',
  17: 'date',
  18: 'time',
  19: 'time',
  20: 'time',
  21: 'time',
  22: 'datetime',
  45: 'time',
}

/**
 * Which styles of a workbook show a number as a moment, by the number of the style.
 */
export async function dateStyles(chunks: AsyncIterable<Buffer>): Promise<Array<Moment | null>> {
  const formats = new Map<number, Moment | null>()
  const styles: Array<Moment | null> = []
  let isInCells = false
  await readXml(chunks, {
    open(name, attributes) {
      if (name === 'numFmt') {
        formats.set(Number(attributes.numFmtId), momentOf(attributes.formatCode ?? ''))
      } else if (name === 'cellXfs') isInCells = true
      else if (name === 'xf' && isInCells) {
        const id = Number(attributes.numFmtId ?? 0)
        styles.push(formats.get(id) ?? BUILT_IN[id] ?? null)
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return styles
}

/* Of a format in Excel; to look through very long ones could take minutes. */
const LONGEST_FORMAT = 255

function momentOf(format: string): Moment | null {
  if (format.length > LONGEST_FORMAT) return null
  const [code] = format.replaceAll(/"[^"]*"|\\./g, '').split(';')
  /* Hours that were counted, as in [h]:mm, are not a time of day. */
  if (/\[[hms]+\]/i.test(code) || !isDateFormat(format)) return null
  const letters = code.replaceAll(/\[[^\]]*\]/g, '')
  const hasTime = /[hs]/i.test(letters)
  const hasDay = /[yd]/i.test(letters) || (!hasTime && /m/i.test(letters))
  if (hasDay) return hasTime ? 'datetime' : 'date'
  return hasTime ? 'time' : null
}

/**
 * The moment that a number of a sheet means: `2026-01-31`, `2026-01-31 10:00:00` or `10:00:00`.
 *
 * @param serial  days since the beginning of the workbook's calendar
 * @returns null if it is beyond the calendar
 */
export function momentText(serial: number, kind: Moment, isFrom1904: boolean): string | null {
  const [day, time] = serialMoment(serial, isFrom1904)?.split(' ') ?? []
  if (day === undefined) return null
  if (kind === 'time' && serial < 1) return time
  return kind === 'date' && time === '00:00:00' ? day : `${day} ${time}`
}
