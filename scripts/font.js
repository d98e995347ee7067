/*
 * `npm run font`: writes the typeface of the admin site, packages/atrium/assets/admin/inter*.woff2, cut from Inter.
 * A first load has 60 KB for all: the first file has the characters of Western and Central Europe and Turkish, whose accents
 * take a third of what they would take in a file of their own; pages with other characters fetch the second file. Both
 * have one axis, from regular to semibold, and even figures.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import { root } from './runtime.js'

/** Code points as in `unicode-range` of admin.css, which a test compares */
export const FONTS = [
  {
    name: 'inter.woff2',
    range:
      'U+20-7E, U+A0, U+B7, U+C0-CF, U+D1-DD, U+DF-EF, U+F1-F6, U+F8-FD, U+104-107, U+10C-10D, U+118-11B, U+11E-11F, U+130-131, U+141-144, U+147-148, U+150-151, U+158-15B, U+15E-161, U+16E-171, U+179-17E, U+2013-2014, U+2018-2019, U+201C-201D, U+2026, U+20AC, U+2212',
  },
  {
    name: 'inter-extended.woff2',
    range:
      'U+A1-B6, U+B8-BF, U+D0, U+DE, U+F0, U+F7, U+FE-FF, U+100-103, U+108-10B, U+10E-117, U+11C-11D, U+120-12F, U+132-140, U+145-146, U+149-14F, U+152-157, U+15C-15D, U+162-16D, U+172-178, U+17F, U+218-21B, U+201A, U+201E, U+2022, U+2039-203A, U+2122',
  },
]

const ASSETS = join(root, 'packages/atrium/assets/admin')

/**
 * @returns the bytes of one of the fonts above
 */
export async function font({ range }) {
  const inter = readFileSync(join(library(), 'variable/InterVariable.woff2'))
  return await subsetFont(inter, textOf(range), {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 600 }, opsz: 14 },
    keepFeatures: ['tnum'],
    noHinting: true,
  })
}

function textOf(range) {
  return range
    .split(', ')
    .flatMap((part) => {
      const [first, last = first] = part
        .slice(2)
        .split('-')
        .map((code) => parseInt(code, 16))
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
    .map((code) => String.fromCodePoint(code))
    .join('')
}

function library() {
  return dirname(createRequire(import.meta.url).resolve('inter-ui/package.json'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const one of FONTS) writeFileSync(join(ASSETS, one.name), await font(one))
  copyFileSync(join(library(), 'LICENSE.txt'), join(ASSETS, 'inter.LICENSE.txt'))
}
