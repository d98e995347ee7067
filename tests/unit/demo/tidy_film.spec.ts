import { test } from '@japa/runner'
import { readFilms, tidyFilm } from '#database/data/films'

test.group('Films of the source', () => {
  test('converts a numeric title to text and reports it', ({ assert }) => {
    const [raw] = readFilms()
    const { film, changes } = tidyFilm({ ...raw, Title: 1408 })
    assert.equal(film.title, '1408')
    assert.deepEqual(changes, ['title 1408 was a number'])
  })

  test('clears a release date that is not a date', ({ assert }) => {
    const [raw] = readFilms()
    const { film } = tidyFilm({ ...raw, 'Release Date': 'soon' })
    assert.isNull(film.release_date)
  })
})
