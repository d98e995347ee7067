import { test } from '@japa/runner'
import { readFilms, tidyFilm } from '#database/data/films'

test.group('Films from the source', () => {
  test('a numeric title is converted to text and reported', ({ assert }) => {
    const [raw] = readFilms()
    const { film, changes } = tidyFilm({ ...raw, Title: 1408 })
    assert.equal(film.title, '1408')
    assert.deepEqual(changes, ['title 1408 was a number'])
  })

  test('a release date that is not a date is cleared', ({ assert }) => {
    const [raw] = readFilms()
    const { film } = tidyFilm({ ...raw, 'Release Date': 'soon' })
    assert.isNull(film.release_date)
  })
})
