import { readFileSync } from 'node:fs'

/**
 * A film as `films.json` has it, with all that is untidy about it.
 */
export interface RawFilm {
  'Title': string | number | null
  'US Gross': number | null
  'Worldwide Gross': number | null
  'US DVD Sales': number | null
  'Production Budget': number | null
  'Release Date': string | null
  'MPAA Rating': string | null
  'Running Time min': number | null
  'Distributor': string | null
  'Source': string | null
  'Major Genre': string | null
  'Creative Type': string | null
  'Director': string | null
  'Rotten Tomatoes Rating': number | null
  'IMDB Rating': number | null
  'IMDB Votes': number | null
}

/**
 * The values of a row of the table `films`, by column name.
 */
export interface FilmValues {
  title: string
  us_gross: number | null
  worldwide_gross: number | null
  us_dvd_sales: number | null
  production_budget: number | null
  release_date: string | null
  mpaa_rating: string | null
  running_time_min: number | null
  source: string | null
  major_genre: string | null
  creative_type: string | null
  director: string | null
  rotten_tomatoes_rating: number | null
  imdb_rating: number | null
  imdb_votes: number | null
}

export interface TidyFilm {
  film: FilmValues
  /** Name of the distributor; it has a table of its own */
  distributor: string | null
  /** In plain words, what is no longer as the source has it */
  changes: string[]
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/* The kinds of change, and how several of one kind are told together. */
const KINDS = [
  {
    pattern: /^title .+ was a number$/,
    one: 'title was a number',
    many: 'titles were numbers',
    outcome: 'became text',
  },
  {
    pattern: /^title was missing$/,
    one: 'title was missing',
    many: 'titles were missing',
    outcome: 'became "Untitled"',
  },
  {
    pattern: /^release date .+ was no date$/,
    one: 'release date was no date',
    many: 'release dates were no dates',
    outcome: 'became empty',
  },
]

/* Read when first asked for, and kept; each caller gets film objects of its own. */
let file: { columns: string[]; rows: unknown[][] } | undefined

/**
 * All films, in the order of the source.
 */
export function readFilms(): RawFilm[] {
  file ??= JSON.parse(readFileSync(new URL('./films.json', import.meta.url), 'utf8'))
  const { columns, rows } = file!
  return rows.map((row) => {
    return Object.fromEntries(columns.map((column, index) => [column, row[index]]))
  }) as unknown as RawFilm[]
}

/**
 * Makes a film fit for the table. Only what can't be stored is changed: garbled letters and release
 * dates of the wrong century ("2046" for 1946) are the data's own and stay.
 */
export function tidyFilm(raw: RawFilm): TidyFilm {
  const changes: string[] = []
  const film: FilmValues = {
    title: tidyTitle(raw['Title'], changes),
    us_gross: raw['US Gross'],
    worldwide_gross: raw['Worldwide Gross'],
    us_dvd_sales: raw['US DVD Sales'],
    production_budget: raw['Production Budget'],
    release_date: tidyDate(raw['Release Date'], changes),
    mpaa_rating: raw['MPAA Rating'],
    running_time_min: raw['Running Time min'],
    source: raw['Source'],
    major_genre: raw['Major Genre'],
    creative_type: raw['Creative Type'],
    director: raw['Director'],
    rotten_tomatoes_rating: raw['Rotten Tomatoes Rating'],
    imdb_rating: raw['IMDB Rating'],
    imdb_votes: raw['IMDB Votes'],
  }
  return { film, distributor: raw['Distributor'], changes }
}

/**
 * Counts changes by their kind, for people: '9 titles were numbers and became text'.
 */
export function summarizeChanges(changes: string[]): string[] {
  return KINDS.flatMap(({ pattern, one, many, outcome }) => {
    const count = changes.filter((change) => pattern.test(change)).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many} and ${outcome}`]
  })
}

function tidyTitle(title: RawFilm['Title'], changes: string[]): string {
  if (title === null) {
    changes.push('title was missing')
    return 'Untitled'
  }
  if (typeof title === 'number') {
    changes.push(`title ${title} was a number`)
    return String(title)
  }
  return title
}

/* "Jun 12 1998" as 1998-06-12 is the same day in another notation, so it counts as no change. */
function tidyDate(date: string | null, changes: string[]): string | null {
  if (date === null) return null

  const [, monthName, day, year] = /^([A-Z][a-z]{2}) (\d\d) (\d{4})$/.exec(date) ?? []
  const month = String(MONTHS.indexOf(monthName) + 1).padStart(2, '0')
  const tidy = `${year}-${month}-${day}`
  if (isDay(tidy)) return tidy

  changes.push(`release date ${JSON.stringify(date)} was no date`)
  return null
}

/* JavaScript takes February 30 as March 2, so a day counts only if it comes back as it went in. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}
