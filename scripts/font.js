/*
 * `npm run font`: writes the typeface of the admin site, packages/atrium/assets/admin/inter*.woff2, cut from Inter.
 * A first load has 60 KB for all: the first file has the characters of English, the others are fetched by
 * pages that have characters of other languages. All have one axis, from regular to semibold, and even figures.
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
    source: 'latin',
    range: 'U+20-7E, U+A0, U+B7, U+D7, U+2013-2014, U+2018-2019, U+201C-201D, U+2026, U+2212',
  },
  {
    name: 'inter-latin-1.woff2',
    source: 'latin',
    range:
      'U+A1-B6, U+B8-D6, U+D8-FF, U+131, U+152-153, U+201A, U+201E, U+2022, U+2039-203A, U+20AC, U+2122',
  },
  {
    name: 'inter-latin-extended.woff2',
    source: 'latin-ext',
    range: 'U+100-130, U+132-151, U+154-17F, U+218-21B',
  },
]

const ASSETS = join(root, 'packages/atrium/assets/admin')

/**
 * @returns the bytes of one of the fonts above
 */
export async function font({ source, range }) {
  const inter = readFileSync(join(library(), `files/inter-${source}-wght-normal.woff2`))
  return await subsetFont(inter, textOf(range), {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 600 } },
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
  return dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const one of FONTS) writeFileSync(join(ASSETS, one.name), await font(one))
  copyFileSync(join(library(), 'LICENSE'), join(ASSETS, 'inter.LICENSE.txt'))
}
