package dialect

import "time"

// LoadZone is the zone of a session: an IANA or Java id, or an offset. Its error is an *engine.Error.
func LoadZone(id string) (*time.Location, error) {
	zone, err := loadZone(id)
	if err != nil {
		return nil, err
	}
	return zone, nil
}
