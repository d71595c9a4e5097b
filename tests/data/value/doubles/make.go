// Writes doubles.txt: doubles drawn at random, as Go writes them. Run it as: go run make.go >doubles.txt
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"strconv"
)

func row(d float64) {
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%016x %s %s %s\n", math.Float64bits(d), text, strconv.FormatFloat(d, 'g', -1, 64), strconv.FormatFloat(d, 'e', -1, 64))
}

func main() {
	r := rand.New(rand.NewSource(5))
	fmt.Println("# bits, encoding/json, FormatFloat 'g', FormatFloat 'e'; make.go wrote it")
	for _, d := range []float64{0, math.Copysign(0, -1), 0.1, 0.5, 1e-6, 9.99e-7, 1e-9, 1e-10, 1e20, 1e21, 5e-324, math.MaxFloat64, 1 << 53} {
		row(d)
		row(-d)
	}
	for i := 0; i < 400; i++ {
		row(math.Float64frombits(r.Uint64()))
		row(float64(r.Intn(100000)) / math.Pow(10, float64(r.Intn(9))))
		row((r.Float64() - 0.5) * math.Pow(10, float64(r.Intn(60)-30)))
	}
}
