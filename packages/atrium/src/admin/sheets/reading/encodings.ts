/**
 * Encodings that a file can have, as a person chooses them; Unicode first.
 */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'iso-8859-2',
  'koi8-r',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'big5',
] as const

export type Encoding = (typeof ENCODINGS)[number]

/** Encodings of which a wrong byte can be told */
export const UNICODE: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be'])

export function isEncoding(name: unknown): name is Encoding {
  return ENCODINGS.includes(name as Encoding)
}
